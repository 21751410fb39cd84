// Some passages with the phrases that they mention.
// params: limit (int)
// returns: id (str), title (str), text (str), phrases (list of str, at most 12)
// mode: read
// names: label, id, title, text, path, name
CYPHER 25
MATCH (passage:$label(passage))
WITH passage LIMIT $limit
CALL (passage) {
  CALL (passage) {
    /*each mention UNION
    MATCH (passage)$path(mention)(phrase:$label(phrase)) RETURN $name(phrase) AS name */
  }
  WITH name WHERE name IS NOT NULL ORDER BY name LIMIT 12
  RETURN collect(name) AS phrases
}
RETURN $id(passage) AS id, $title(passage) AS title, $text(passage) AS text, phrases
