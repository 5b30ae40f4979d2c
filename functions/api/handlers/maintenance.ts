import { randomUUID } from 'node:crypto';
import { previewWindow } from '../../../shared/app/maintenance/preview.ts';
import {
  createWindow,
  deleteWindow,
  getWindow,
  listWindows,
  putWindow,
  type VersionedWindow,
} from '../../../shared/app/maintenance/windows.ts';
import type { PageTokens } from '../../../shared/app/paging/paging.ts';
import type { maintenanceRoutes } from '../../../shared/schema/maintenance/routes.ts';
import { created, type Handlers, versioned } from '../handler.ts';

export function maintenanceHandlers(tokens: PageTokens): Handlers<keyof typeof maintenanceRoutes> {
  return {
    listMaintenanceWindows: async ({ world, query, bearer }) => ({
      body: await listWindows(world, bearer, query, tokens),
    }),
    createMaintenanceWindow: async ({ world, body, bearer }) => {
      const { window, version } = await createWindow(world, bearer, body, randomUUID());
      return created(window, version, `/v1/maintenance-windows/${window.windowId}`);
    },
    previewMaintenanceWindow: async ({ world, body, bearer }) => ({ body: await previewWindow(world, bearer, body) }),
    getMaintenanceWindow: async ({ world, params, bearer }) =>
      ofWindow(await getWindow(world, bearer, params.windowId)),
    putMaintenanceWindow: async ({ world, params, body, bearer, ifVersion }) =>
      ofWindow(await putWindow(world, bearer, params.windowId, body, ifVersion)),
    deleteMaintenanceWindow: async ({ world, params, bearer, ifVersion }) => {
      await deleteWindow(world, bearer, params.windowId, ifVersion);
      return { body: null };
    },
  };
}

function ofWindow({ window, version }: VersionedWindow) {
  return versioned(window, version);
}
