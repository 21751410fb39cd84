// How many phrases of a label there are, with a name, and with a vector of which lengths.
// params: none
// returns: phrases (int), named (int), vectors (int), lengths (list of int)
// mode: read
// names: label, name, vector
CYPHER 25
MATCH (phrase:$label(phrase))
WITH phrase, $name(phrase) AS name, phrase.$vector(phrase) AS vector
WITH name, vector, CASE WHEN vector IS NULL THEN null
       WHEN valueType(vector) STARTS WITH 'VECTOR' THEN vector_dimension_count(vector) ELSE size(vector) END AS length
RETURN count(*) AS phrases, count(name) AS named, count(vector) AS vectors, collect(DISTINCT length) AS lengths
