import { decodeDataUrl } from '@machinist/core/encoding/data-url'
import { parseYaml } from '@machinist/core/encoding/yaml'

/** What a machine starts with. */
export interface MachinePointer {
  readonly source: string
  readonly token: string
  /** PEM. */
  readonly authorities: string
}

interface PointerConfig {
  readonly ignition: {
    readonly config: {
      readonly merge: [
        { readonly source: string; readonly httpHeaders: [{ readonly value: string }] },
      ]
    }
    readonly security: {
      readonly tls: { readonly certificateAuthorities: [{ readonly source: string }] }
    }
  }
}

export function readPointer(text: string): MachinePointer {
  const { ignition } = JSON.parse(text) as PointerConfig
  const [{ source, httpHeaders }] = ignition.config.merge
  const [{ source: ca }] = ignition.security.tls.certificateAuthorities
  return {
    source,
    token: httpHeaders[0].value.replace(/^Bearer /, ''),
    authorities: textIn(ca),
  }
}

/** The token of the kubeconfig in a served config. */
export function bootstrapTokenIn(body: string): string {
  const { storage } = JSON.parse(body) as {
    readonly storage: {
      readonly files: readonly { readonly path: string; readonly contents: { source: string } }[]
    }
  }
  const path = '/etc/kubernetes/kubeconfig'
  const file = storage.files.find((each) => each.path === path)!
  const { users } = parseYaml(textIn(file.contents.source), path) as {
    readonly users: [{ readonly user: { readonly token: string } }]
  }
  return users[0].user.token
}

const textIn = (url: string): string => Buffer.from(decodeDataUrl(url).bytes).toString()
