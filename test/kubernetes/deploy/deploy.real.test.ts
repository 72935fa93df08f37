import { describeOnRealCluster } from '@machinist/testing/clusters/real-cluster'
import { guardCases } from '../../integration/deploy/guards.ts'
import { dryRun, installing, uninstalling } from '../../integration/deploy/installing.ts'
import { onStage } from '../../integration/deploy/on-stage.ts'
import { userRoleCases } from '../../integration/deploy/user-roles.ts'
import { permissionCases } from '../../integration/deploy/permission-cases.ts'
import { startReal } from '../../integration/deploy/start-real.ts'
import { componentCases } from '../../integration/deploy/component-cases.ts'

describeOnRealCluster('deploy/ on a real API server', () => {
  const cases = [componentCases, permissionCases, userRoleCases, guardCases]
  onStage(startReal, installing, dryRun, ...cases, uninstalling)
})
