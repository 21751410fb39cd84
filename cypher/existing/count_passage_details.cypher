// What a dry run counts of passages: reads every one.
// params: none
// returns: passages (int), empty (int, without a text), nameless (int, without an id), ids (int, different ones)
// mode: read
// names: label, text, id
CYPHER 25
MATCH (passage:$label(passage))
RETURN count(passage) AS passages, count(CASE WHEN trim($text(passage)) = '' THEN 1 END) AS empty,
       count(CASE WHEN $id(passage) IS NULL THEN 1 END) AS nameless, count(DISTINCT $id(passage)) AS ids
