import { machineConfigBuild } from '../../../api/maker.ts'
import { runComponent } from '../../../process/component-process.ts'
import { leadControllers } from '../../../process/lead-controllers.ts'
import { loadTemplates } from '../../../process/templates.ts'
import type { Terminal } from '../../../process/terminal.ts'
import { version } from '../../../process/version.ts'
import type { ControllerOptions } from './controller.ts'

export async function runControllerProcess(
  options: ControllerOptions,
  terminal: Terminal,
): Promise<void> {
  const { namespace, release, keepRendered } = options
  const templates = await loadTemplates(options.templates)
  const maker = { version, build: machineConfigBuild(version) }
  const renderWindowMs = options.renderWindow * 1000
  const own = { maker, namespace, templates, release, keepRendered, renderWindowMs }
  await runComponent(
    {
      what: 'controllers',
      start: (tools, leadership, signal) =>
        leadControllers({ ...tools, ...own }, leadership, signal),
    },
    options,
    terminal,
  )
}
