// Every vector and full-text index: what it is over, and its state.
// params: none
// returns: name (str), type (str: VECTOR, FULLTEXT), entity (str: NODE, RELATIONSHIP), labels (list of labels or types),
//          properties (list of str), state (str), dimensions (int or null)
// mode: read
CYPHER 25
SHOW INDEXES YIELD name, type, entityType, labelsOrTypes, properties, state, options
WHERE type IN ['VECTOR', 'FULLTEXT']
RETURN name, type, entityType AS entity, labelsOrTypes AS labels, properties, state,
       options.indexConfig['vector.dimensions'] AS dimensions
ORDER BY name
