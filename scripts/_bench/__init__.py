"""What scripts/bench measures. Figures go to standard output, everything else to standard error.

`pagerank`: for each question the walk alone, the ranking statement and igraph's `personalized_pagerank` in turn, on
the same graph. `retrieval`: whole retrievals by stage, with recall beside latency. `large`: PageRank on a made-up graph
of 100,000 nodes by Graph Data Science, igraph and SciPy. `write`: writing the graph of the questions into a fresh
namespace, with vectors that were computed before. `clients`: the asynchronous client beside threads, and explain beside
retrieve.
"""
