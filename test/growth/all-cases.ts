import { apiserverCases } from './apiserver-cases.ts'
import { baseCases } from './base-cases.ts'
import { clusterCases } from './cluster-cases.ts'
import { configCases } from './config-cases.ts'
import type { ParserCase } from './growth.ts'
import { nodeCases } from './node-cases.ts'

/** One row for each parser that meets input from outside, and each hostile shape of it. */
export const allCases: readonly ParserCase[] = [
  ...baseCases,
  ...configCases,
  ...apiserverCases,
  ...clusterCases,
  ...nodeCases,
]
