// How many passages mention how many phrases in one way, and how often together.
// params: none
// returns: mentions (int, pairs), passages (int), phrases (int), times (float)
// mode: read
// names: label, path, count
CYPHER 25
MATCH (passage:$label(passage))$path(mention)(phrase:$label(phrase))
WITH passage, phrase, sum($count(mention)) AS times
RETURN count(*) AS mentions, count(DISTINCT passage) AS passages, count(DISTINCT phrase) AS phrases, sum(times) AS times
