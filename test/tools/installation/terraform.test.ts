import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTerraform } from '../../../tools/installation/terraform.ts';
import { hasTerraform } from '../../../tools/terraform/checker.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'watchpost-terraform-'));
  writeFileSync(join(folder, 'some.tfvars'), 'name = "a"\n');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A resource of Terraform's own, so that no provider is needed. */
const configuration = `
variable "name" { type = string }
variable "standstill" { default = false }
variable "serving_database" { default = null }
variable "pinned_sources" { default = {} }
resource "terraform_data" "this" {
  for_each         = var.pinned_sources
  triggers_replace = each.value
}
output "seen" { value = [var.name, var.standstill, var.serving_database] }
`;

test('a var file that sets what is set here is refused, because it would win', () => {
  writeFileSync(join(folder, 'own.tfvars'), 'name = "a"\n  standstill = false\n');
  expect(() => createTerraform(folder, ['own.tfvars'], true)).toThrow('own.tfvars sets standstill');
  expect(() => createTerraform(folder, ['some.tfvars'], true)).not.toThrow();
});

test('a Terraform that fails ends what is done', async () => {
  await expect(createTerraform(folder, ['some.tfvars'], true, 'false').apply({})).rejects.toThrow('ended with 1');
});

describe.skipIf(!hasTerraform())('with Terraform itself', () => {
  test('variables stay for every later apply until they are taken out, and what would go is known before it goes', async () => {
    writeFileSync(join(folder, 'main.tf'), configuration);
    const terraform = createTerraform(folder, ['some.tfvars'], true);
    const file = join(folder, 'operation.auto.tfvars.json');
    await terraform.apply({ standstill: true });
    await terraform.apply({ serving_database: 'restored-1', pinned_sources: { api: 'one', probes: 'one' } });
    expect(await terraform.output('seen')).toEqual(['a', true, 'restored-1']);
    const kept = readFileSync(file, 'utf8');
    expect(await terraform.takenAway({ pinned_sources: { api: 'two' } })).toEqual([
      'terraform_data.this["api"]',
      'terraform_data.this["probes"]',
    ]);
    expect(await terraform.takenAway({ standstill: null })).toEqual([]);
    expect(readFileSync(file, 'utf8')).toBe(kept);
    await terraform.apply({ standstill: null, serving_database: null, pinned_sources: null });
    expect(existsSync(file)).toBe(false);
    expect(await terraform.output('seen')).toEqual(['a', false, null]);
  });
});
