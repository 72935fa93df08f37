import { systemClock } from '@machinist/core/clock'
import { InvalidInput } from '@machinist/core/errors'
import { toYaml } from '@machinist/core/yaml'
import { checkProblem } from '../../views/certs/check.ts'
import { asData } from '../../views/certs/as-data.ts'
import { drawn, spoken } from '../certs/draw.ts'
import type { CertsFacts } from '../../views/certs/facts.ts'
import { nodeNames, nodePage, nodeView } from '../../views/certs/node-page.ts'
import { readCluster } from '../certs/read-cluster.ts'
import { sectionsOf } from '../../views/certs/report.ts'
import type { Page } from '../../views/certs/tree.ts'
import { clusterPage } from '../../views/certs/tree.ts'
import { upcoming } from '../../views/certs/upcoming.ts'
import { connect } from '../../process/connect.ts'
import type { Terminal } from '../../process/terminal.ts'
import type { CertsOptions } from './certs.ts'
import { styleFor } from '../style.ts'

export async function runCerts(options: CertsOptions, terminal: Terminal): Promise<void> {
  const facts = await readFacts(options)
  const { text, problem } = printCerts(facts, options, (page) => shown(page, facts.now, terminal))
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

interface PrintedCerts {
  readonly text: string
  /** With `--check`: in one line, what is not in order. */
  readonly problem?: string
}

function printCerts(
  facts: CertsFacts,
  { node, output, check, days }: CertsOptions,
  show: (page: Page) => string,
): PrintedCerts {
  const sections = sectionsOf(facts)
  const news = upcoming(facts, sections)
  const view = node === undefined ? undefined : nodeView(facts, sections, node)
  if (node !== undefined && !view) {
    const known = nodeNames(facts).slice(0, 10).join(', ') || 'none'
    throw new InvalidInput(`there is no node ${node}; there are: ${known}`)
  }
  const data = (): unknown => view ?? asData(facts, sections, news)
  const page = (): Page => (view ? nodePage(view, facts) : clusterPage(facts, sections, news))
  const text =
    output === 'json'
      ? `${JSON.stringify(data(), null, 2)}\n`
      : output === 'yaml'
        ? toYaml(data())
        : show(page())
  const problem = check ? checkProblem(sections, facts.now, days, node) : undefined
  return { text, ...(problem !== undefined && { problem }) }
}

/** A picture where somebody looks, sentences elsewhere. */
function shown(page: Page, now: number, terminal: Terminal): string {
  const window = terminal.window?.()
  if (!window) return spoken(page, now)
  // Some terminals do not know their size.
  const width = Math.min(window.columns || 80, 140)
  return drawn(page, { style: styleFor(process.stdout, process.env), width, now })
}
