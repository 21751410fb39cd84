// Parts that nothing should leave behind: there must be none. A run under way may show some.
// params: namespace (str, such as 'demo'), limit (int, default 25)
// returns: what (str), found (str), problem (str)
// mode: read
CYPHER 25
CALL () {
  MATCH (phrase:Phrase {namespace: $namespace})
  WHERE NOT EXISTS { (phrase)<-[:MENTIONS]-(:Passage {namespace: $namespace}) }
  RETURN 'phrase' AS what, phrase.name AS found, 'no passage mentions it' AS problem
  UNION ALL
  MATCH (subject:Phrase {namespace: $namespace})-[fact:RELATES]->(object:Phrase {namespace: $namespace})
  WHERE size(fact.passages) = 0
     OR COUNT { (subject)<-[:MENTIONS]-(passage:Passage {namespace: $namespace}) WHERE passage.id IN fact.passages }
        <> size(fact.passages)
  RETURN 'fact' AS what, subject.name + ' - ' + fact.predicate + ' - ' + object.name AS found,
         'a passage that states it is gone, or does not mention its subject' AS problem
  UNION ALL
  MATCH (passage:Passage {namespace: $namespace})-[mention:MENTIONS]->(phrase:Phrase {namespace: $namespace})
  WHERE NOT EXISTS { (phrase)-[fact:RELATES]-(:Phrase {namespace: $namespace}) WHERE passage.id IN fact.passages }
  RETURN 'mention' AS what, passage.title + ' - ' + phrase.name AS found,
         'no fact of the passage contains the phrase' AS problem
}
RETURN what, found, problem ORDER BY what, found LIMIT $limit
