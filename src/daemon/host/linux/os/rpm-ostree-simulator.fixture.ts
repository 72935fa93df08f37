import type { Command, CommandResult, CommandRunner } from '../commands/runner.ts'

/** A deployment of a simulated machine. Plain data. */
export interface SimulatedDeployment {
  readonly image: string
  readonly kernelArguments: readonly string[]
  readonly packages: readonly string[]
  readonly removed: readonly string[]
  readonly booted?: boolean
  /** Staged with `--lock-finalization`. */
  readonly locked?: boolean
  /** Packages from local files, or replacements of the image's packages. */
  readonly replaced?: readonly string[]
}

export interface Simulated {
  readonly deployments: readonly SimulatedDeployment[]
}

type Outcome = { readonly after: Simulated; readonly output: string } | { readonly error: string }

/**
 * A simulation of rpm-ostree, written from its documentation and source, because the test machines do not have it. Takes one
 * command, and returns the state after it.
 */
export function rpmOstree(before: Simulated, args: readonly string[]): Outcome {
  const [verb = '', ...rest] = args
  const options = rest.filter((arg) => arg.startsWith('--'))
  const names = rest.filter((arg) => !arg.startsWith('--'))
  const valuesOf = (option: string): string[] =>
    options
      .filter((arg) => arg.startsWith(`--${option}=`))
      .map((arg) => arg.slice(option.length + 3))
  const next = before.deployments[0]!
  switch (verb) {
    case 'status':
      return { after: before, output: JSON.stringify(statusOf(before)) }
    case 'cleanup':
      return {
        after: options.includes('--rollback') ? withoutRollback(before) : withoutPending(before),
        output: '',
      }
    case 'rebase':
      return rebased(before, names[0] ?? '')
    case 'kargs': {
      const [index] = valuesOf('deploy-index')
      if (index !== undefined) return shownArguments(before, Number(index))
      const kernelArguments = patched(
        next.kernelArguments,
        valuesOf('append'),
        valuesOf('delete-if-present'),
      )
      return staged(before, { ...next, kernelArguments })
    }
    case 'install':
      return layered(before, next, names, valuesOf('uninstall'))
    case 'uninstall':
      return layered(before, next, valuesOf('install'), names)
    case 'override':
      return overridden(before, names, valuesOf('install'), valuesOf('uninstall'))
    case 'db':
      return { after: before, output: packageList(names) }
    default:
      return { error: `error: Unknown command '${verb}'` }
  }
}

/** The next boot: runs the first deployment, and keeps the booted one for a rollback. */
export function booted({ deployments }: Simulated): Simulated {
  const [next, ...others] = deployments
  if (next!.booted) return { deployments }
  const ran = others.find((deployment) => deployment.booted)
  return { deployments: [{ ...next!, booted: true }, ...(ran ? [{ ...ran, booted: false }] : [])] }
}

/** Records every command, and can inject a failure. */
export class SimulatedRunner implements CommandRunner {
  readonly ran: string[] = []
  state: Simulated
  /** The first command with this prefix fails, once. */
  breaks: string | undefined

  constructor(state: Simulated) {
    this.state = state
  }

  async run({ program, args }: Command): Promise<CommandResult> {
    const line = [program, ...args].join(' ')
    const changes = !/ (status|db|kargs --deploy-index)/.test(line)
    if (changes) this.ran.push(args.join(' '))
    if (this.breaks !== undefined && line.startsWith(this.breaks)) {
      this.breaks = undefined
      return { code: 1, output: '', errorLine: 'error: Bus owner changed, aborting.' }
    }
    const outcome = rpmOstree(this.state, args)
    if ('error' in outcome) return { code: 1, output: '', errorLine: outcome.error }
    this.state = outcome.after
    return { code: 0, output: outcome.output, errorLine: '' }
  }
}

const isPending = (deployment: SimulatedDeployment, index: number): boolean =>
  index === 0 && !deployment.booted

const withoutPending = ({ deployments }: Simulated): Simulated => ({
  deployments: deployments.filter((deployment, index) => !isPending(deployment, index)),
})

const withoutRollback = ({ deployments }: Simulated): Simulated => ({
  deployments: deployments.slice(0, deployments.findIndex(({ booted }) => booted) + 1),
})

function staged(before: Simulated, deployment: SimulatedDeployment): Outcome {
  const { deployments } = withoutPending(before)
  return {
    after: { deployments: [{ ...deployment, booted: false, locked: false }, ...deployments] },
    output: 'Staging deployment...done\n',
  }
}

function rebased(before: Simulated, reference: string): Outcome {
  const image = reference.replace(/^ostree-unverified-registry:/, '')
  if (image === reference) return { error: `error: Remote "${reference}" not found` }
  if (image.includes('unreachable'))
    return { error: 'error: Creating importer: failed to invoke method OpenImage' }
  return staged(before, { ...before.deployments[0]!, image })
}

/** As in the source of rpm-ostree: deletions come last, and remove the first match. */
function patched(
  words: readonly string[],
  append: readonly string[],
  gone: readonly string[],
): string[] {
  const after = [...words, ...append]
  for (const word of gone) {
    if (words.includes(word)) after.splice(after.indexOf(word), 1)
  }
  return after
}

function layered(
  before: Simulated,
  deployment: SimulatedDeployment,
  add: readonly string[],
  remove: readonly string[],
): Outcome {
  const { packages } = deployment
  const twice = add.find((name) => packages.includes(name))
  if (twice !== undefined) return { error: `error: "${twice}" is already requested` }
  const missing = remove.find((name) => !packages.includes(name))
  if (missing !== undefined)
    return { error: `error: Package/capability '${missing}' is not currently requested` }
  const kept = packages.filter((name) => !remove.includes(name))
  return staged(before, { ...deployment, packages: [...kept, ...add] })
}

function overridden(
  before: Simulated,
  [verb, ...names]: readonly string[],
  add: readonly string[],
  remove: readonly string[],
): Outcome {
  const next = before.deployments[0]!
  const { removed } = next
  if (verb === 'reset') {
    const missing = names.find((name) => !removed.includes(name))
    if (missing !== undefined) return { error: `error: No overrides for package "${missing}"` }
    const left = removed.filter((name) => !names.includes(name))
    return layered(before, { ...next, removed: left }, add, remove)
  }
  const missing = names.find((name) => !basePackages(next.image).includes(name))
  if (missing !== undefined) return { error: `error: Package "${missing}" not found` }
  return layered(before, { ...next, removed: [...removed, ...names] }, add, remove)
}

/** An image of RHEL 8 has one package less. */
const basePackages = (image: string): string[] => [
  'kernel',
  'kernel-core',
  'kernel-modules',
  'kernel-modules-extra',
  ...(image.includes('el8') ? [] : ['kernel-modules-core']),
]

const checksumOf = (image: string): string =>
  Buffer.from(image).toString('hex').padEnd(64, '0').slice(0, 64)

function packageList([, checksum = '', ...names]: readonly string[]): string {
  const image = Buffer.from(checksum, 'hex').toString().replaceAll('\0', '')
  const present = basePackages(image).filter((name) => names.includes(name))
  return [
    `ostree commit: ${checksum}`,
    ...present.map((name) => ` ${name}-5.14.0-427.el9.x86_64`),
    '',
  ].join('\n')
}

function shownArguments(before: Simulated, index: number): Outcome {
  const deployment = before.deployments[index]
  if (!deployment) return { error: `error: Out of range deployment index ${index}` }
  const line = [
    ...deployment.kernelArguments,
    `ostree=/ostree/boot.1/rhcos/${'a'.repeat(64)}/${index}`,
  ]
  return { after: before, output: `${line.join(' ')}\n` }
}

const statusOf = ({ deployments }: Simulated): unknown => ({
  deployments: deployments.map((deployment, index) => ({
    unlocked: 'none',
    id: `rhcos-${checksumOf(deployment.image)}.${index}`,
    osname: 'rhcos',
    serial: index,
    pinned: false,
    checksum: checksumOf(`${deployment.image}+`),
    'base-checksum': checksumOf(deployment.image),
    'container-image-reference': `ostree-unverified-registry:${deployment.image}`,
    'requested-packages': deployment.packages,
    'requested-local-packages': deployment.replaced ?? [],
    'requested-base-removals': deployment.removed,
    'requested-base-local-replacements': [],
    'base-removals': deployment.removed.map((name) => [`${name}-5.14.0-427.el9.x86_64`]),
    'base-local-replacements': [],
    packages: deployment.packages,
    'regenerate-initramfs': false,
    booted: deployment.booted === true,
    staged: isPending(deployment, index),
    ...(deployment.locked && { 'finalization-locked': true }),
  })),
  transaction: null,
  'cached-update': null,
  'update-driver': null,
})
