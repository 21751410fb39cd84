// Passages that stand for these documents: each document as one passage, or its parts.
// params: namespace (str), documents (list of str), keys (list of str, of the documents as one passage)
// returns: key (str), id (str), document (str, the passage's id where it is no part)
// mode: read
CYPHER 25
CALL () {
  UNWIND $documents AS document
  MATCH (passage:Passage {namespace: $namespace, document: document})
    USING INDEX SEEK passage:Passage(namespace, document)
  RETURN passage
  UNION
  MATCH (passage:Passage {namespace: $namespace}) WHERE passage.key IN $keys AND passage.document IS NULL
  RETURN passage
}
RETURN passage.key AS key, passage.id AS id, coalesce(passage.document, passage.id) AS document
