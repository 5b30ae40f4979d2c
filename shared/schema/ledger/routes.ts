import Type from 'typebox';
import type { Routes } from '../route.ts';
import { ProofBundle, ProofQuery } from './ledger.ts';
import { AvailabilityQuery, AvailabilityReport } from './report.ts';
import { ReportSchedule, ReportScheduleInput, ReportScheduleList } from './schedule.ts';

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
  listReportSchedules: {
    method: 'get',
    path: '/v1/reports/schedules',
    scope: 'settings:read',
    summary: 'List the reports that are mailed, the oldest first.',
    answer: ReportScheduleList,
  },
  createReportSchedule: {
    method: 'post',
    path: '/v1/reports/schedules',
    scope: 'settings:write',
    isOfGroups: true,
    summary: 'Mail a report at the end of each week or month.',
    body: ReportScheduleInput,
    answer: ReportSchedule,
    status: 201,
    refusals: ['quota-exceeded'],
    isVersioned: true,
  },
  getReportSchedule: {
    method: 'get',
    path: '/v1/reports/schedules/{scheduleId}',
    scope: 'settings:read',
    summary: 'Read a report that is mailed.',
    answer: ReportSchedule,
    isVersioned: true,
  },
  putReportSchedule: {
    method: 'put',
    path: '/v1/reports/schedules/{scheduleId}',
    scope: 'settings:write',
    isOfGroups: true,
    summary: 'Replace a report that is mailed, or pause it.',
    body: ReportScheduleInput,
    answer: ReportSchedule,
    refusals: ['precondition-failed', 'quota-exceeded'],
    isVersioned: true,
  },
  deleteReportSchedule: {
    method: 'delete',
    path: '/v1/reports/schedules/{scheduleId}',
    scope: 'settings:write',
    isOfGroups: true,
    summary: 'Stop mailing a report.',
    answer: null,
    refusals: ['precondition-failed'],
  },
} as const satisfies Routes;
