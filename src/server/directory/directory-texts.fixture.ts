import { toYaml } from '@machinist/core/encoding/yaml'
import type { FolderReader } from '@machinist/core/files'
import type { MachineConfigSpec } from '../../api/kinds/machine-config.ts'
import { renderedName, specDigest } from '../../fleet/render/rendered-name.ts'

const apiVersion = 'machineconfiguration.openshift.io/v1'

/** Files in memory, by path. A path with an Error cannot be read. */
export class MemoryFiles implements FolderReader {
  readonly texts = new Map<string, string | Error>()
  /** Paths that were read, in order. */
  readonly reads: string[] = []

  async read(path: string): Promise<string> {
    this.reads.push(path)
    const text = this.texts.get(path) ?? missing(path)
    if (typeof text !== 'string') throw text
    return text
  }

  async list(path: string): Promise<string[]> {
    const below = [...this.texts.keys()].filter((file) => file.startsWith(`${path}/`))
    if (below.length === 0) throw missing(path)
    return below.map((file) => file.slice(path.length + 1))
  }
}

function missing(path: string): Error {
  return Object.assign(new Error(`ENOENT: no such file or directory, open '${path}'`), {
    code: 'ENOENT',
  })
}

export const poolText = (name: string, config: string): string =>
  toYaml({
    apiVersion,
    kind: 'MachineConfigPool',
    metadata: { name },
    spec: { configuration: { name: config } },
    status: { configuration: { name: config } },
  })

/** A rendered config of Machinist, whose name matches its content. */
export function renderedConfig(
  pool: string,
  spec: MachineConfigSpec,
): { readonly name: string; readonly text: string } {
  const name = renderedName(pool, specDigest(spec))
  const annotations = {
    'machineconfiguration.openshift.io/generated-by-controller-version': 'machinist-0.1.0',
  }
  return {
    name,
    text: toYaml({ apiVersion, kind: 'MachineConfig', metadata: { name, annotations }, spec }),
  }
}

export const controllerConfigText = (dns: string): string =>
  toYaml({
    apiVersion,
    kind: 'ControllerConfig',
    metadata: { name: 'machine-config-controller' },
    spec: { clusterDNSIP: dns },
  })
