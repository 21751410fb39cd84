// Join passages to their phrases; count = distinct facts of the passage that contain the phrase.
// params: rows (list of {passage, phrases (list of [key, count])})
// returns: mentions (int)
// mode: write
CYPHER 25
UNWIND $rows AS row
MATCH (passage:Passage {key: row.passage})
UNWIND row.phrases AS mentioned
MATCH (phrase:Phrase {key: mentioned[0]})
MERGE (passage)-[mention:MENTIONS]->(phrase)
SET mention.count = mentioned[1]
RETURN count(*) AS mentions
