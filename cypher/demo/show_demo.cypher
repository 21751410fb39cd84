// What the demo's first question walks over: what is said of its answer, and the passages that say it.
// params: none
// returns: said (path), mentioned (path)
// mode: read
MATCH said = (answer:Phrase {namespace: 'demo', name: 'ilse corvane'})-[:RELATES]-(:Phrase)
OPTIONAL MATCH mentioned = (answer)<-[:MENTIONS]-(:Passage)
RETURN said, mentioned
