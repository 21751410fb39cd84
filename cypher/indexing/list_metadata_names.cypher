// Names of the metadata that passages of a namespace have.
// params: namespace (str)
// returns: name (str)
// mode: read
CYPHER 25
MATCH (passage:Passage {namespace: $namespace})
UNWIND keys(passage) AS property
WITH DISTINCT property WHERE property STARTS WITH 'meta_'
RETURN substring(property, 5) AS name ORDER BY name
