// Say that a projection is being built, so that others wait for it: a projection of one node stands for it. Fails where
// somebody else has said so.
// params: lock (str)
// returns: builder (str)
// mode: read
CYPHER 25
UNWIND [0] AS nothing
WITH gds.graph.project($lock, nothing, null) AS said
RETURN said.configuration.jobId AS builder
