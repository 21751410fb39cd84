// Delete passages whose facts and mentions were taken back.
// params: namespace (str), keys (list of str)
// returns: passages (int, deleted)
// mode: write
CYPHER 25
MATCH (passage:Passage {namespace: $namespace}) WHERE passage.key IN $keys
DETACH DELETE passage
RETURN count(*) AS passages
