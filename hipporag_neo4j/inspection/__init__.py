"""Questions that people ask a graph: the statements of cypher/inspect, and how healthy it is."""
