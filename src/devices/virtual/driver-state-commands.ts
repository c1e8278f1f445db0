import type { AppCommands, AppSource } from '../app-commands.ts'
import { ensureNotCancelled } from '../../refusals/cancellation.ts'
import type { Command } from '../device-types.ts'
import { animatedPngType } from '../animated-png.ts'
import { UnsupportedRefusal } from '../device-refusals.ts'
import { InstallFailedRefusal } from '../device-state-refusals.ts'
import type { FileCommands } from '../file-commands.ts'
import type { RecordingCommands } from '../recording-commands.ts'
import type { SettingCommands } from '../setting-commands.ts'
import type { AppDefinition } from './apps/app-definition.ts'
import { AppFileRefusal } from './apps/app-file-refusals.ts'
import { parseApp, readAppFile } from './apps/load-apps.ts'
import type { VirtualPhone } from './phone/virtual-phone.ts'
import { drawRecording } from './render/draw-recording.ts'
import { timeOfDay } from './render/screenshots.ts'
import type { Clock } from '../../runtime/clock.ts'

/** A longer text is no app, and reading it would hold up every other phone. */
const longestAppText = 65_536

/** The half of a virtual phone's driver that changes what is on the phone rather than on its screen. */
export function createDriverStateCommands ({ device, phone, catalog, acceptsDefinitions, clock, obey }: {
  readonly device: string
  readonly phone: VirtualPhone
  /** The apps that can be installed by their ids. */
  readonly catalog: readonly AppDefinition[]
  readonly acceptsDefinitions: boolean
  readonly clock: Clock
  readonly obey: <Result>(signal: AbortSignal, work: () => Result | Promise<Result>) => Promise<Result>
}): AppCommands & SettingCommands & RecordingCommands & FileCommands {
  async function keepRecording ({ signal }: Command) {
    const take = phone.recordingSoFar()
    const { animation: content, contactSheet } = await drawRecording(take, { profile: phone.profile, time: timeOfDay(clock.nowMs()) })
    // No caller may find a file that the phone wrote after it was called off.
    ensureNotCancelled(signal)
    const path = freeName(phone.listFiles().map((file) => file.path))
    phone.writeFile(path, content)
    phone.forgetRecording()
    return { path, bytes: content.length, mimeType: animatedPngType, durationMs: take.durationMs, isComplete: take.isComplete, contactSheet }
  }

  function definitionOf (source: AppSource): AppDefinition {
    if (source.kind === 'known') return knownApp(source.id, catalog)
    if (!acceptsDefinitions) {
      throw new UnsupportedRefusal({
        device, operation: 'install an app from a definition', missing: 'its operator does not allow it', nextAction: 'Install one of its own apps by `app`.'
      })
    }
    return source.kind === 'text'
      ? definitionFrom('The definition', () => shortEnough(source.text))
      : definitionFrom('The file', (name) => readAppFile(source.path, name))
  }

  return {
    inspectApp: (source, { signal }) => obey(signal, () => {
      const { id, name, version, system } = definitionOf(source)
      return { id, name, version, system }
    }),
    installApp: (source, { signal }) => obey(signal, () => phone.installApp(definitionOf(source))),
    uninstallApp: (appId, { signal }) => obey(signal, () => {
      if (phone.listApps().some(({ id, system }) => id === appId && system)) {
        throw new UnsupportedRefusal({
          device, operation: `uninstall ${appId}`, missing: 'it is part of the phone', nextAction: 'Leave it, or clear its data.'
        })
      }
      phone.uninstallApp(appId)
    }),
    restoreApp: (appId, { signal }) => obey(signal, () => phone.restoreApp(appId)),
    clearAppData: (appId, { signal }) => obey(signal, () => phone.clearAppData(appId)),
    listPermissions: (appId, { signal }) => obey(signal, () => phone.listPermissions(appId)),
    setPermission: (appId, permission, state, { signal }) => obey(signal, () => phone.setPermission(appId, permission, state)),

    getOrientation: ({ signal }) => obey(signal, () => phone.orientation()),
    setOrientation: (orientation, { signal }) => obey(signal, () => phone.setOrientation(orientation)),
    getLocale: ({ signal }) => obey(signal, () => phone.locale()),
    setLocale: (locale, { signal }) => obey(signal, () => phone.setLocale(locale)),
    getLocation: ({ signal }) => obey(signal, () => phone.location()),
    setLocation: (place, { signal }) => obey(signal, () => phone.setLocation(place)),
    clearLocation: ({ signal }) => obey(signal, () => phone.setLocation(undefined)),
    getNetwork: ({ signal }) => obey(signal, () => phone.network()),
    setNetwork: (change, { signal }) => obey(signal, () => phone.setNetwork(change)),
    getClipboard: ({ signal }) => obey(signal, () => phone.clipboard()),
    setClipboard: (text, { signal }) => obey(signal, () => phone.setClipboard(text)),

    startRecording: ({ maxMs }, { signal }) => obey(signal, () => phone.startRecording(maxMs)),
    stopRecording: (command) => obey(command.signal, () => keepRecording(command)),
    discardRecording: ({ signal }) => obey(signal, () => phone.forgetRecording()),

    listFiles: ({ signal }) => obey(signal, () => phone.listFiles()),
    pushFile: (path, content, { signal }) => obey(signal, () => phone.writeFile(path, content)),
    pullFile: (path, { signal }) => obey(signal, () => phone.readFile(path)),
    removeFile: (path, { signal }) => obey(signal, () => phone.removeFile(path))
  }
}

function knownApp (id: string, catalog: readonly AppDefinition[]): AppDefinition {
  const known = catalog.find((app) => app.id === id)
  if (known !== undefined) return known
  throw new InstallFailedRefusal({
    app: id,
    reason: 'no app of that id is at hand.',
    nextAction: `Use one of ${catalog.map((app) => app.id).slice(0, 20).join(', ')}, or send an app file as \`definition\`.`
  })
}

/** Reads an app file that refusals call `name`. */
function definitionFrom (name: string, read: (name: string) => string): AppDefinition {
  try {
    // An app file comes from a caller: YAML aliases in it could make much of little.
    return parseApp(read(name), name, { allowsAliases: false })
  } catch (error) {
    if (!(error instanceof AppFileRefusal)) throw error
    throw unusable(error.message, error)
  }
}

function shortEnough (text: string): string {
  if (text.length > longestAppText) throw unusable(`it is longer than ${longestAppText} characters.`)
  return text
}

function unusable (reason: string, cause?: unknown): InstallFailedRefusal {
  return new InstallFailedRefusal({ app: 'The app', reason, nextAction: 'Correct the definition; an app file needs id, name, version, icon, color, firstScreen and screens.', cause })
}

function freeName (taken: readonly string[]): string {
  for (let number = 1; ; number += 1) {
    const name = `recording-${number}.png`
    if (!taken.includes(name)) return name
  }
}
