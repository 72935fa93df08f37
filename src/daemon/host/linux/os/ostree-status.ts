export interface OstreeDeployment {
  readonly booted: boolean
  readonly staged: boolean
  readonly osName: string
  /** `<checksum>.<serial>`, the name of its directory. */
  readonly name: string
  /** Its origin, usually a branch. */
  readonly refspec?: string
}

/** Parses `ostree admin status`, in boot order. */
export function readOstreeStatus(text: string): OstreeDeployment[] {
  const found: OstreeDeployment[] = []
  for (const line of text.split('\n')) {
    const [, mark, osName, name, remarks] = heading.exec(line) ?? []
    if (osName !== undefined && name !== undefined) {
      found.push({ booted: mark === '*', staged: remarks!.includes('(staged)'), osName, name })
      continue
    }
    const refspec = /^\s+origin refspec: (.+)$/.exec(line)?.[1]
    const last = found.pop()
    if (last) found.push(refspec === undefined ? last : { ...last, refspec })
  }
  return found
}

const heading = /^([* ]) (\S+) ([0-9a-f]{64}\.\d+)(\D.*|)$/
