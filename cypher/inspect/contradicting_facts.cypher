// Subjects with several objects where nearly all have one. A predicate such as was-born-in leads from nearly every
// subject to one object; where it leads to several, facts may contradict each other, or a name may mean two things.
// params: namespace (str, such as 'demo'), share (float, default 0.8, of a predicate's subjects that have one
//         object), subjects (int, default 5, that a predicate must have), limit (int, default 25)
// returns: subject (str), says (str), objects (list of str), single (float, share of the predicate's subjects that
//          have one object)
// mode: read
CYPHER 25
MATCH (subject:Phrase {namespace: $namespace})-[fact:RELATES]->(object:Phrase {namespace: $namespace})
WITH fact.predicate AS says, subject, object ORDER BY object.name
WITH says, subject, collect(object.name) AS objects
WITH says, count(*) AS subjects, sum(CASE size(objects) WHEN 1 THEN 1 ELSE 0 END) AS singles,
     collect(CASE WHEN size(objects) > 1 THEN {subject: subject.name, objects: objects} END) AS several
WHERE subjects >= $subjects AND singles >= $share * subjects
UNWIND several AS found
RETURN found.subject AS subject, says, found.objects AS objects, round(toFloat(singles) / subjects, 3) AS single
ORDER BY single DESC, says, subject LIMIT $limit
