// Bytes of the server's heap that are in use, garbage that was not collected yet included.
// params: none
// returns: used (int), committed (int)
// mode: read
CYPHER 25
CALL dbms.queryJmx('java.lang:type=Memory') YIELD attributes
WITH attributes.HeapMemoryUsage.value.properties AS heap
RETURN heap.used AS used, heap.committed AS committed
