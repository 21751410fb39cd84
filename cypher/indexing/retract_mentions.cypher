// Take back the mentions of these passages.
// params: keys (list of str)
// returns: mentions (int, removed)
// mode: write
CYPHER 25
MATCH (passage:Passage) WHERE passage.key IN $keys
MATCH (passage)-[mention:MENTIONS]->(:Phrase)
DELETE mention
RETURN count(*) AS mentions
