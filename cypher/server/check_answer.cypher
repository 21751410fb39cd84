// Whether the database answers at all.
// params: none
// returns: answer (int)
// mode: read
RETURN 1 AS answer
