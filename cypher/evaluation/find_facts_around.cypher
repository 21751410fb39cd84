// All facts of phrases, with the passages that state them and how many mention each of the two phrases.
// params: namespace (str), keys (list of phrase keys)
// returns: around (str, key of the phrase), subject (str), predicate (str), object (str), subject_key (str), object_key (str),
//          subject_passages (int), object_passages (int), passages (list of str, ids)
// mode: read
CYPHER 25
MATCH (phrase:Phrase) WHERE phrase.key IN $keys AND phrase.namespace = $namespace
MATCH (phrase)-[fact:RELATES]-(:Phrase {namespace: $namespace})
WITH phrase, fact, startNode(fact) AS subject, endNode(fact) AS object
RETURN phrase.key AS around, subject.name AS subject, fact.predicate AS predicate, object.name AS object,
       subject.key AS subject_key, object.key AS object_key,
       COUNT { (subject)<-[:MENTIONS]-(:Passage) } AS subject_passages,
       COUNT { (object)<-[:MENTIONS]-(:Passage) } AS object_passages, fact.passages AS passages
