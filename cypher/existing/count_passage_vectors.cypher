// How many passages have a vector, and of which lengths.
// params: none
// returns: lengths (list of int), vectors (int)
// mode: read
// names: label, vector
CYPHER 25
MATCH (passage:$label(passage)) WHERE passage.$vector(passage) IS NOT NULL
WITH passage.$vector(passage) AS vector
WITH CASE WHEN valueType(vector) STARTS WITH 'VECTOR' THEN vector_dimension_count(vector) ELSE size(vector) END AS length
RETURN collect(DISTINCT length) AS lengths, count(*) AS vectors
