import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { decodeDataUrl } from '@machinist/core/encoding/data-url'
import { arbitraryConfig } from '@machinist/ignition/arbitrary-config.fixture'
import { parseAsWritten } from '@machinist/ignition/convert/parse-any'
import type { AnyConfig, IgnitionVersion } from '@machinist/ignition/convert/versions'
import { fullVersion, supportedVersions } from '@machinist/ignition/convert/versions'
import type { Config, File } from '@machinist/ignition/spec/config'
import { addedPaths } from './added-paths.fixture.ts'
import { answer } from './answer.ts'
import type { AnswerInputs } from './inputs.ts'
import { selectInputs } from './inputs.ts'
import { authorities, renderedConfig, serverState, token } from './state.fixture.ts'

const version = fc.constantFrom<IgnitionVersion>(...supportedVersions)
/** Configs that often contain paths that the server adds. */
const config = fc
  .tuple(arbitraryConfig(), fc.subarray([...addedPaths]), fc.subarray([...addedPaths]))
  .map(([made, files, directories]) => withPaths(made, files, directories))

function withPaths(made: Config, files: readonly string[], directories: readonly string[]): Config {
  const { storage } = made
  const theirs = files.map((path) => ({ path, contents: { source: 'data:,theirs' } }))
  const others = directories.filter((path) => !files.includes(path)).map((path) => ({ path }))
  return {
    ...made,
    storage: {
      ...storage,
      files: [...(storage?.files ?? []), ...theirs],
      directories: [...(storage?.directories ?? []), ...others],
    },
  }
}

const served = (made: object, to: IgnitionVersion) =>
  answer(
    selectInputs(serverState(renderedConfig({ config: made })), 'worker', token) as AnswerInputs,
    to,
  )

const filesOf = (parsed: AnyConfig): File[] => (parsed.storage?.files ?? []) as File[]
const contentAt = (parsed: AnyConfig, path: string): string => {
  const source = filesOf(parsed).find((file) => file.path === path)?.contents?.source
  return Buffer.from(decodeDataUrl(source ?? '').bytes).toString()
}

it('what is served is valid in the requested version, has each path once and the current CAs', () => {
  let expressed = 0
  fc.assert(
    fc.property(config, version, (made, to) => {
      const found = served(made, to)
      const refusal = found.type === 'refusal' ? found.reason : 'CannotConvert'
      expect(['CannotConvert', 'InvalidConfig']).toContain(refusal)
      fc.pre(found.type === 'config')
      expressed++
      const { config: parsed, report } = parseAsWritten(found.body)
      expect(report.entries.filter(({ level }) => level === 'error')).toEqual([])
      expect(parsed!.ignition.version).toBe(fullVersion(to))
      const { files = [], directories = [], links = [] } = parsed!.storage ?? {}
      // Spec 2 appends with another entry for the same path.
      const whole = (files as { path: string; append?: unknown }[]).filter(
        ({ append }) => append !== true,
      )
      for (const path of addedPaths) {
        const at = [...whole, ...directories, ...links].filter((node) => node.path === path)
        expect(at).toHaveLength(1)
      }
      expect(contentAt(parsed!, addedPaths[0]!)).toBe(authorities.kubelet)
      expect(contentAt(parsed!, '/etc/kubernetes/kubeconfig')).toContain(
        Buffer.from(authorities.apiServer).toString('base64'),
      )
    }),
    { numRuns: 300 },
  )
  // The property says nothing if every config is refused.
  expect(expressed).toBeGreaterThan(50)
})

it('the same inputs give the same bytes', () => {
  fc.assert(
    fc.property(config, version, (made, to) => {
      expect(served(structuredClone(made), to)).toEqual(served(made, to))
    }),
    { numRuns: 50 },
  )
})

it('no input is changed', () => {
  fc.assert(
    fc.property(config, version, (made, to) => {
      const before = structuredClone(made)
      served(made, to)
      expect(made).toEqual(before)
    }),
    { numRuns: 50 },
  )
})
