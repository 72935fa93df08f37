import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { toYaml } from '@machinist/core/encoding/yaml'
import type { Stage } from './stage.ts'

const worker = { 'machineconfiguration.openshift.io/role': 'worker' }
const config = (more: object, version = '3.2.0'): object => ({ ignition: { version }, ...more })
const file = (more: object): object => config({ storage: { files: [{ path: '/a', ...more }] } })

/** Warnings of kubectl about MachineConfigs of which Ignition ignores a part. */
export function machineConfigMistakes(stage: () => Stage): void {
  let directory: string
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'machinist-mistakes-'))
  })
  afterAll(() => rm(directory, { recursive: true }))

  it('kubectl warns about keys of a MachineConfig that Ignition ignores', async () => {
    expect(
      await warnings([
        file({ contents: { inline: 'hello' } }),
        config({ storag: { files: [] } }),
        config({ kernelArguments: { shouldExist: ['a'] } }),
        file({ mode: 644 }),
      ]),
    ).toEqual([
      'spec.config.storage.files[].contents has a key "inline" or "local", which is Butane syntax and ignored by Ignition: convert the file with butane, or write "source": "data:," followed by the URL-encoded text.',
      'spec.config.storag is ignored: Ignition has no such key here. Check it with: machinist ignition validate FILE',
      'spec.config.kernelArguments is ignored before version 3.3.0. Use spec.kernelArguments.',
      'spec.config.storage.files[].mode is a decimal number, so 644 is octal 1204. Write 420 for 0644, 493 for 0755, 384 for 0600.',
    ])
  })

  it('kubectl does not warn about other MachineConfigs', async () => {
    const others = [
      file({ mode: 0o644, contents: { source: 'data:,hello' } }),
      file({ mode: 0o4755, contents: {} }),
      config({ Storage: {}, networkd: {} }),
      config({ kernelArguments: { shouldExist: ['a'] } }, '3.3.0'),
      {},
      // Values that the policy cannot evaluate; rendering validates them.
      { storage: { files: 'text' } },
      file({ contents: null, mode: 'text' }),
    ]
    expect(await warnings(others)).toEqual([])
  })

  /** Uses a dry run. */
  async function warnings(configs: readonly object[]): Promise<string[]> {
    const documents = configs.map((one, i) =>
      toYaml({
        apiVersion: 'machineconfiguration.openshift.io/v1',
        kind: 'MachineConfig',
        metadata: { name: `99-mistake-${i}`, labels: worker },
        spec: { config: one },
      }),
    )
    const path = join(directory, 'machine-configs.yaml')
    await writeFile(path, documents.join('---\n'))
    const output = await stage().kubectl('create', '--dry-run=server', '-o', 'name', '-f', path)
    const policy = 'machinist-machine-config-mistakes'
    const begin = `Warning: Validation failed for ValidatingAdmissionPolicy '${policy}' with binding '${policy}': `
    return output
      .split('\n')
      .filter((line) => !/^machineconfig\..*\/99-mistake-\d+$/.test(line))
      .map((line) => line.replace(begin, ''))
  }
}
