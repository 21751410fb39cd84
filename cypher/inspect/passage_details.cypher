// A passage as it stands in the graph. What it says, what it names, when it came and from which run.
// params: namespace (str, such as 'demo'), passage (str, passage, such as 'Oda Merrin'), limit (int, default 25)
// returns: title (str), text (str), entities (list of str, as the model named them), facts (int), phrases (int),
//          status (str), created (datetime), run (str), id (str)
// mode: read
CYPHER 25
MATCH (passage:Passage {namespace: $namespace}) WHERE passage.id = $passage OR passage.title = $passage
WITH passage ORDER BY passage.id LIMIT $limit
RETURN passage.title AS title, passage.text AS text, passage.entities AS entities,
       COUNT {
         (passage)-[:MENTIONS]->(:Phrase {namespace: $namespace})-[fact:RELATES]->(:Phrase {namespace: $namespace})
         WHERE passage.id IN fact.passages
       } AS facts,
       COUNT { (passage)-[:MENTIONS]->(:Phrase {namespace: $namespace}) } AS phrases,
       passage.status AS status, passage.created AS created, passage.run AS run, passage.id AS id
ORDER BY id
