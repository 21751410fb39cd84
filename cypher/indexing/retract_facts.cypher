// Take back what these passages said: facts lose the passage, and go with their last one. A passage's phrases, and the facts
// of these that name it, are of its namespace; a condition on the facts' would let an index over all of them be read.
// params: keys (list of str)
// returns: facts (int, removed)
// mode: write
CYPHER 25
MATCH (passage:Passage) WHERE passage.key IN $keys
MATCH (passage)-[:MENTIONS]->(:Phrase)-[fact:RELATES]->(:Phrase)
WHERE passage.id IN fact.passages
WITH fact, collect(DISTINCT passage.id) AS leaving
SET fact.passages = [id IN fact.passages WHERE NOT id IN leaving]
WITH fact WHERE size(fact.passages) = 0
DELETE fact
RETURN count(*) AS facts
