import { onEmbeddedServer } from '../../../support/on-embedded-server.ts'
import { machineConfigurationCases } from './cases.ts'

await onEmbeddedServer('the MachineConfiguration', machineConfigurationCases)
