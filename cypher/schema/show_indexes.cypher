// Every index this product made, with state and dimensions.
// params: none
// returns: name (str), type (str), state (str), progress (float, percent), dimensions (int or null),
//          properties (list of str)
// mode: read
CYPHER 25
SHOW INDEXES YIELD name, type, state, populationPercent, options, properties
WHERE name STARTS WITH 'hipporag_'
RETURN name, type, state, populationPercent AS progress, options.indexConfig['vector.dimensions'] AS dimensions,
       properties
ORDER BY name
