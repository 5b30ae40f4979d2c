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
import type { World } from '../../../shared/app/ports.ts';
import type { maintenanceRoutes } from '../../../shared/schema/maintenance/routes.ts';
import { created, type Handlers, versioned } from '../handler.ts';

export function maintenanceHandlers(world: World, tokens: PageTokens): Handlers<keyof typeof maintenanceRoutes> {
  return {
    listMaintenanceWindows: async ({ query, bearer }) => ({ body: await listWindows(world, bearer, query, tokens) }),
    createMaintenanceWindow: async ({ body, bearer }) => {
      const { window, version } = await createWindow(world, bearer, body, randomUUID());
      return created(window, version, `/v1/maintenance-windows/${window.windowId}`);
    },
    previewMaintenanceWindow: async ({ body, bearer }) => ({ body: await previewWindow(world, bearer, body) }),
    getMaintenanceWindow: async ({ params, bearer }) => ofWindow(await getWindow(world, bearer, params.windowId)),
    putMaintenanceWindow: async ({ params, body, bearer, ifVersion }) =>
      ofWindow(await putWindow(world, bearer, params.windowId, body, ifVersion)),
    deleteMaintenanceWindow: async ({ params, bearer, ifVersion }) => {
      await deleteWindow(world, bearer, params.windowId, ifVersion);
      return { body: null };
    },
  };
}

function ofWindow({ window, version }: VersionedWindow) {
  return versioned(window, version);
}
