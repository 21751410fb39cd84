// Passages that stand for these documents: each document as one passage, or its parts.
// params: namespace (str), documents (list of str), keys (list of str, of the documents as one passage)
// returns: key (str)
// mode: read
CYPHER 25
CALL () {
  UNWIND $documents AS document
  MATCH (passage:Passage {namespace: $namespace, document: document})
    USING INDEX SEEK passage:Passage(namespace, document)
  RETURN passage.key AS key
  UNION
  MATCH (whole:Passage {namespace: $namespace}) WHERE whole.key IN $keys AND whole.document IS NULL
  RETURN whole.key AS key
}
RETURN key
