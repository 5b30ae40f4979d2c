import Type from 'typebox';
import type { Routes } from '../route.ts';
import { ProofBundle, ProofQuery } from './ledger.ts';
import { AvailabilityQuery, AvailabilityReport } from './report.ts';

/** The ledger: what was recorded of each device's time, and proofs of it that need no trust in this service. */
export const ledgerRoutes = {
  getCheckpoint: {
    method: 'get',
    path: '/v1/ledger/checkpoint',
    scope: 'alerts:read',
    summary: 'Read the checkpoint of the ledger, a signed note.',
    answer: Type.Unknown(),
    media: 'text/plain; charset=utf-8',
    refusals: ['not-found'],
  },
  getTile: {
    method: 'get',
    path: '/v1/ledger/tile/{tile}',
    scope: 'alerts:read',
    summary: 'Read a tile of hashes of the ledger, by its path of C2SP tlog-tiles: `0/000.p/17`, `1/x001/234`.',
    answer: Type.Unknown(),
    media: 'application/octet-stream',
  },
  getProof: {
    method: 'get',
    path: '/v1/ledger/proof',
    scope: 'alerts:read',
    summary: 'Prove when a device was seen and when not.',
    query: ProofQuery,
    answer: ProofBundle,
    refusals: ['not-found'],
  },
  getAvailability: {
    method: 'get',
    path: '/v1/reports/availability',
    scope: 'alerts:read',
    summary: 'Report how long each camera was seen, and how that was counted.',
    query: AvailabilityQuery,
    answer: AvailabilityReport,
    formats: ['text/csv', 'application/pdf'],
  },
} as const satisfies Routes;
