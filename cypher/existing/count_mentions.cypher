// How many passages mention how many phrases in one way, and how often together; a count of nothing or less, too much, or no
// number doesn't count.
// params: none
// returns: mentions (int, pairs), passages (int), phrases (int), times (float), uncounted (int, relationships)
// mode: read
// names: label, path, count
CYPHER 25
MATCH (passage:$label(passage))$path(mention)(phrase:$label(phrase))
WITH passage, phrase, sum($count(mention)) AS times, count(CASE WHEN $count(mention) = 0 THEN 1 END) AS uncounted
RETURN count(*) AS mentions, count(DISTINCT passage) AS passages, count(DISTINCT phrase) AS phrases, sum(times) AS times,
       sum(uncounted) AS uncounted
