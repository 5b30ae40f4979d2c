import type { JSX } from 'preact';
import type { Rule } from '../../../../../shared/schema/settings/rule.ts';
import type { Team } from '../../../../../shared/schema/settings/team.ts';
import type { Webhook } from '../../../../../shared/schema/webhook/webhook.ts';
import { useMay } from '../../../client/auth.ts';
import { useResource } from '../../../client/resource.ts';
import { errorAt, TextField } from '../../../components/form.tsx';
import { Icon } from '../../../components/icons.tsx';
import type { PartProps } from '../settings-draft.ts';
import { isNameTwice, type NamedSchedule } from '../settings-draft.ts';
import { Periods, timeZones } from './periods.tsx';
import { type Uses, usesOf, usesText } from './schedule-uses.ts';

const fresh: NamedSchedule = {
  name: '',
  timeZone: '',
  periods: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '18:00', to: '08:00' }],
};
const nameRule = 'Small letters, digits and underscores, such as night_shift.';

/** Named hours that webhook filters, rules and quiet hours can use. */
export function Schedules(props: PartProps): JSX.Element {
  const { draft, set } = props;
  const uses = useUses();
  return (
    <section class="panel" aria-label="Named schedules">
      <header class="panel-head">
        <h2>Named schedules</h2>
      </header>
      <p class="quiet">Filters of webhooks, rules and quiet hours can name these, and the business hours.</p>
      {draft.schedules.map((schedule, index) => (
        <ScheduleFields key={index} {...props} schedule={schedule} index={index} uses={uses.get(schedule.name)} />
      ))}
      <button
        type="button"
        class="button small"
        onClick={() => set({ schedules: [...draft.schedules, structuredClone(fresh)] })}
      >
        <Icon name="plus" /> Add a schedule
      </button>
    </section>
  );
}

type FieldsProps = PartProps & { schedule: NamedSchedule; index: number; uses: Uses | undefined };

function ScheduleFields({ draft, set, failure, schedule, index, uses }: FieldsProps): JSX.Element {
  const name = schedule.name.trim();
  const pointer = `/schedules/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  const refused = failure?.errors.find((error) => error.pointer === pointer)?.detail;
  const twice = isNameTwice(draft, name) ? 'Another schedule has this name.' : undefined;
  const change = (changed: Partial<NamedSchedule>) =>
    set({ schedules: draft.schedules.with(index, { ...schedule, ...changed }) });
  const title = name || 'the new schedule';
  return (
    <fieldset class="schedule">
      <legend class="unseen">{`Schedule ${name || 'without a name'}`}</legend>
      <div class="schedule-head">
        <TextField
          label="Name"
          value={schedule.name}
          onChange={(value) => change({ name: value })}
          hint={uses ? usesText(uses) : nameRule}
          error={twice ?? (refused ? `The service refused this name: ${refused}. ${nameRule}` : undefined)}
        />
        <TextField
          label="Time zone"
          value={schedule.timeZone}
          placeholder={draft.timeZone}
          suggestions={timeZones}
          onChange={(timeZone) => change({ timeZone })}
          hint="Empty: the one of the business hours."
          error={errorAt(failure, `${pointer}/timeZone`)}
        />
        <button
          type="button"
          class="button small danger"
          aria-label={`Remove ${title}`}
          onClick={() => set({ schedules: draft.schedules.toSpliced(index, 1) })}
        >
          Remove
        </button>
      </div>
      <Periods
        of={title}
        periods={schedule.periods}
        pointer={`${pointer}/periods`}
        failure={failure}
        onChange={(periods) => change({ periods })}
      />
    </fieldset>
  );
}

/** The uses of each schedule, as far as the operator may read them. */
function useUses(): ReadonlyMap<string, Uses> {
  const endpoints = useResource<{ webhooks: Webhook[] }>(
    useMay('webhooks:read') ? '/v1/webhooks?pageSize=200' : null,
  ).data;
  const settings = useMay('settings:read');
  const rules = useResource<{ rules: Rule[] }>(settings ? '/v1/rules?pageSize=200' : null).data;
  const teams = useResource<{ teams: Team[] }>(settings ? '/v1/teams' : null).data;
  return usesOf({ webhooks: endpoints?.webhooks ?? [], rules: rules?.rules ?? [], teams: teams?.teams ?? [] });
}
