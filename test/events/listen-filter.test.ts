import t from 'tap'
import { grantFilter, isEmpty, publishedFilter, readListenFilter, type FindResource } from '../../src/events/listen-filter.ts'

t.test('SUB-01: what is absent or false is not wanted, and types nobody knows are passed over', (t) => {
  t.same(
    readListenFilter({ notifications: { toolsListChanged: true, promptsListChanged: false, weatherChanged: true } }),
    { lists: ['tools'], uris: [], taskIds: [] }
  )
  t.same(
    readListenFilter({ notifications: { resourcesListChanged: true, resourceSubscriptions: ['a:1', 'a:2', 'a:1'], taskIds: ['t'] } }),
    { lists: ['resources'], uris: ['a:1', 'a:2'], taskIds: ['t'] }
  )
  t.same(readListenFilter({ notifications: {} }), { lists: [], uris: [], taskIds: [] })
  t.end()
})

t.test('SUB-01: a filter that is missing or malformed is refused and named', (t) => {
  for (const notifications of [undefined, null, [], 'all', true]) {
    t.throws(() => readListenFilter({ notifications }), { name: 'ProtocolError', message: /params\.notifications/ }, String(notifications))
  }
  for (const [member, value] of [
    ['toolsListChanged', 'yes'], ['promptsListChanged', 1], ['resourcesListChanged', {}],
    ['resourceSubscriptions', 'a:1'], ['resourceSubscriptions', [1]], ['taskIds', { 0: 't' }], ['taskIds', [null]]
  ] as const) {
    t.throws(() => readListenFilter({ notifications: { [member]: value } }), { name: 'ProtocolError', message: new RegExp(member) }, member)
  }
  t.end()
})

const find: FindResource = async (uri) => /^note:[ab]$/i.test(uri) ? { uri: uri.toLowerCase(), topic: 'global' } : undefined

t.test('SUB-02, SUB-09: only what is there for the caller is honoured, in the caller\'s own spelling', async (t) => {
  const granted = await grantFilter({ lists: ['prompts'], uris: ['note:B', 'note:c', 'note:a'], taskIds: ['t'] }, find)

  t.same(granted.resources, [{ asked: 'note:B', uri: 'note:b', topic: 'global' }, { asked: 'note:a', uri: 'note:a', topic: 'global' }])
  t.same(publishedFilter(granted), { promptsListChanged: true, resourceSubscriptions: ['note:B', 'note:a'] })
})

t.test('of two spellings of one resource the first is honoured', async (t) => {
  t.same(publishedFilter(await grantFilter({ lists: [], uris: ['note:A', 'note:a'], taskIds: [] }, find)), { resourceSubscriptions: ['note:A'] })
})

t.test('a filter of which nothing is honoured is empty', async (t) => {
  const granted = await grantFilter({ lists: [], uris: ['note:c'], taskIds: ['t'] }, find)
  t.equal(isEmpty(granted), true)
  t.same(publishedFilter(granted), {})
  t.equal(isEmpty({ lists: ['tools'], resources: [] }), false)
})
