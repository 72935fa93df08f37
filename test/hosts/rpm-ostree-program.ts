import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import {
  booted,
  rpmOstree,
  type Simulated,
} from '../../src/daemon/host/linux/os/rpm-ostree-simulator.fixture.ts'

/** The rpm-ostree simulator as a program on a machine, with its state on the disk. */
const directory = '/var/lib/rpm-ostree-simulator'
const path = `${directory}/state.json`
const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')

interface Kept {
  readonly bootId: string
  readonly state: Simulated
}

const fresh: Simulated = {
  deployments: [
    {
      image: 'machine-os.example/os@sha256:1',
      kernelArguments: ['rw'],
      packages: [],
      removed: [],
      booted: true,
    },
  ],
}

const kept: Kept = existsSync(path)
  ? (JSON.parse(readFileSync(path, 'utf8')) as Kept)
  : { bootId, state: fresh }
const before = kept.bootId === bootId ? kept.state : booted(kept.state)
const outcome = rpmOstree(before, process.argv.slice(2))
const after = 'error' in outcome ? before : outcome.after
mkdirSync(directory, { recursive: true })
writeFileSync(path, JSON.stringify({ bootId, state: after } satisfies Kept))
if ('error' in outcome) {
  process.stderr.write(`${outcome.error}\n`)
  process.exitCode = 1
} else {
  process.stdout.write(outcome.output)
}
