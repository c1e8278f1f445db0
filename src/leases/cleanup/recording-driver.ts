/**
 * A driver that writes down what it changes before it changes it.
 *
 * Work under a lease gets no other one, so no tool can forget to. What touches only the screen
 * is not written down: the cleanup goes to the home screen in any case, and what somebody did
 * inside an app is the app's data.
 */
import type { DeviceDriver } from '../../devices/device-driver.ts'
import type { Command } from '../../devices/device-types.ts'
import { LeaseFencedRefusal } from '../../devices/device-refusals.ts'
import { UnknownPermissionRefusal } from '../../devices/device-state-refusals.ts'
import type { Lease } from '../contract/lease.ts'
import { mostChanges, type Change, type ChangeKind, type ChangeLedger } from './change-ledger.ts'
import { TooManyChangesRefusal } from './cleanup-refusals.ts'

export function recordingDriver (driver: DeviceDriver, ledger: ChangeLedger, { deviceId, fence }: Pick<Lease, 'deviceId' | 'fence'>): DeviceDriver {
  /** Writes a change down, unless the thing has been changed before. */
  async function note (kind: ChangeKind, target: string, describe: () => Change | Promise<Change>) {
    const noted = await ledger.changesOf(deviceId)
    if (noted.some(({ change }) => change.kind === kind && change.target === target)) return
    if (noted.length >= mostChanges) throw new TooManyChangesRefusal(deviceId, noted.length)
    // The lease may have ended while the phone was asked how things are.
    if (!await ledger.record(await describe(), { deviceId, fence })) throw new LeaseFencedRefusal(deviceId)
  }

  async function noteWhole (kind: 'recording' | 'clipboard' | 'files') {
    await note(kind, '', () => ({ kind, target: '', before: null }))
  }

  async function noteApp (appId: string, { signal }: Command) {
    await note('app', appId, async () => {
      const home = await driver.homeApps(signal)
      return { kind: 'app', target: appId, before: home.includes(appId) ? 'home' : 'absent' }
    })
  }

  async function noteAppData (appId: string) {
    await note('app_data', appId, () => ({ kind: 'app_data', target: appId, before: null }))
  }

  async function noteLocation (command: Command) {
    await note('location', '', async () => ({ kind: 'location', target: '', before: await driver.getLocation(command) ?? null }))
  }

  return {
    ...driver,

    async installApp (source, command) {
      const { id } = await driver.inspectApp(source, command)
      await noteApp(id, command)
      return await driver.installApp(source, command)
    },

    async uninstallApp (appId, command) {
      await noteApp(appId, command)
      await driver.uninstallApp(appId, command)
    },

    async restoreApp (appId, command) {
      await noteApp(appId, command)
      await driver.restoreApp(appId, command)
    },

    async clearAppData (appId, command) {
      await noteAppData(appId)
      await driver.clearAppData(appId, command)
    },

    async launchApp (appId, options, command) {
      if (options.clearData) await noteAppData(appId)
      await driver.launchApp(appId, options, command)
    },

    async setPermission (appId, permission, state, command) {
      await note('permission', `${appId} ${permission}`, async () => {
        const states = await driver.listPermissions(appId, command)
        const before = Object.hasOwn(states, permission) ? states[permission] : undefined
        if (before === undefined) throw new UnknownPermissionRefusal(appId, permission, Object.keys(states))
        return { kind: 'permission', target: `${appId} ${permission}`, before }
      })
      await driver.setPermission(appId, permission, state, command)
    },

    async setOrientation (orientation, command) {
      await note('orientation', '', async () => ({ kind: 'orientation', target: '', before: await driver.getOrientation(command) }))
      await driver.setOrientation(orientation, command)
    },

    async setLocale (locale, command) {
      await note('locale', '', async () => ({ kind: 'locale', target: '', before: await driver.getLocale(command) }))
      await driver.setLocale(locale, command)
    },

    async setLocation (place, command) {
      await noteLocation(command)
      await driver.setLocation(place, command)
    },

    async clearLocation (command) {
      await noteLocation(command)
      await driver.clearLocation(command)
    },

    async setNetwork (change, command) {
      await note('network', '', async () => ({ kind: 'network', target: '', before: await driver.getNetwork(command) }))
      await driver.setNetwork(change, command)
    },

    async setClipboard (text, command) {
      await noteWhole('clipboard')
      await driver.setClipboard(text, command)
    },

    async startRecording (options, command) {
      await noteWhole('recording')
      await driver.startRecording(options, command)
    },

    async stopRecording (command) {
      await noteWhole('files')
      return await driver.stopRecording(command)
    },

    async pushFile (path, content, command) {
      await noteWhole('files')
      await driver.pushFile(path, content, command)
    },

    async restoreHome (command) {
      const undone = await ledger.changesOf(deviceId)
      const done = await driver.restoreHome(command)
      for (const { id } of undone) await ledger.remove(id)
      return done
    }
  }
}
