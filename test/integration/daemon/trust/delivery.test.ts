import { startApi } from '../cluster/api.ts'
import { deliveryCases } from './delivery-cases.ts'

deliveryCases(startApi)
