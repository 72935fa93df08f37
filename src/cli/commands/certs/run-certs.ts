import { systemClock } from '@machinist/core/clock'
import { InvalidInput } from '@machinist/core/errors'
import { toYaml } from '@machinist/core/encoding/yaml'
import { checkProblem } from '../../../views/certs/check.ts'
import { certsData } from '../../../views/certs/as-data.ts'
import type { CertsFacts } from '../../../views/certs/facts.ts'
import { nodeNames, nodePage, nodeView } from '../../../views/certs/node-page.ts'
import { sectionsOf } from '../../../views/certs/report.ts'
import type { CertsPage } from '../../../views/certs/tree.ts'
import { clusterPage } from '../../../views/certs/tree.ts'
import { upcomingEvents } from '../../../views/certs/upcoming.ts'
import { connect } from '../../../process/connect.ts'
import type { Terminal } from '../../../process/terminal.ts'
import { styleFor } from '../../text/style.ts'
import { drawPage, plainPage } from './draw.ts'
import { readCluster } from './read-cluster.ts'
import type { CertsOptions } from './certs.ts'

export async function runCerts(options: CertsOptions, terminal: Terminal): Promise<void> {
  const facts = await readFacts(options)
  const draw = (page: CertsPage): string => pageText(page, facts.now, terminal)
  const { text, problem } = formatCerts(facts, options, draw)
  terminal.out(text)
  if (problem !== undefined) throw new InvalidInput(problem)
}

async function readFacts({ kubeconfig }: CertsOptions): Promise<CertsFacts> {
  const { client, close } = await connect({ kubeconfig })
  try {
    return await readCluster(client, systemClock.now())
  } finally {
    close()
  }
}

interface FormattedCerts {
  readonly text: string
  /** With `--check`: the failed checks in one line. */
  readonly problem?: string
}

function formatCerts(
  facts: CertsFacts,
  { node, output, check, days }: CertsOptions,
  draw: (page: CertsPage) => string,
): FormattedCerts {
  const sections = sectionsOf(facts)
  const events = upcomingEvents(facts, sections)
  const view = node === undefined ? undefined : nodeView(facts, sections, node)
  if (node !== undefined && !view) {
    const known = nodeNames(facts).slice(0, 10).join(', ') || 'none'
    throw new InvalidInput(`node ${node} not found; known nodes: ${known}`)
  }
  const data = (): unknown => view ?? certsData(facts, sections, events)
  const page = (): CertsPage =>
    view ? nodePage(view, facts) : clusterPage(facts, sections, events)
  const text =
    output === 'json'
      ? `${JSON.stringify(data(), null, 2)}\n`
      : output === 'yaml'
        ? toYaml(data())
        : draw(page())
  const problem = check ? checkProblem(sections, facts.now, days, node) : undefined
  return { text, ...(problem !== undefined && { problem }) }
}

/** A tree on a terminal, sentences elsewhere. */
function pageText(page: CertsPage, now: number, terminal: Terminal): string {
  const window = terminal.window?.()
  if (!window) return plainPage(page, now)
  // Some terminals report no size.
  const width = Math.min(window.columns || 80, 140)
  return drawPage(page, { style: styleFor(process.stdout, process.env), width, now })
}
