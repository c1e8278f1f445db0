import t from 'tap'
import { nearestName } from '../../src/refusals/nearest-name.ts'

t.test('a misspelt name leads to the one that was meant', async (t) => {
  const known = ['serve', 'status', 'help', 'doctor']

  for (const [name, meant] of [['sevre', 'serve'], ['serv', 'serve'], ['servee', 'serve'], ['SERVE', 'serve'], ['sttaus', 'status'], ['hepl', 'help'], ['docter', 'doctor']] as const) {
    t.equal(nearestName(name, known), meant, name)
  }
})

t.test('a name that is like none leads nowhere', async (t) => {
  for (const name of ['', 'x', 'xyz', 'connect', 'destroy', 'server-status-page']) t.equal(nearestName(name, ['serve', 'status', 'help', 'doctor']), undefined, name)
  t.equal(nearestName('serve', []), undefined)
})

t.test('of two that are equally near, the first one is named', async (t) => {
  t.equal(nearestName('lease', ['leases', 'leased']), 'leases')
})
