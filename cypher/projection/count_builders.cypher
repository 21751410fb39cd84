// How many statements of this user build a projection whose name begins so, at this moment.
// params: base (str)
// returns: builders (int)
// mode: read
CYPHER 25
SHOW TRANSACTIONS YIELD metaData, parameters
WHERE split(metaData.statement, '/')[1] STARTS WITH 'project_' AND parameters.graph STARTS WITH $base
RETURN count(*) AS builders
