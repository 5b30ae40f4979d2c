import type { ComponentType, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Failed } from './components/states.tsx';

/** A component whose code is loaded when it is first drawn. `waiting` is shown until then. */
export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  waiting: JSX.Element,
): ComponentType<Props> {
  let loaded: ComponentType<Props> | null = null;
  return function Lazy(props: Props) {
    const [state, setState] = useState<{ isFailed: boolean }>({ isFailed: false });
    const start = () => {
      load().then(
        (component) => {
          loaded = component;
          setState({ isFailed: false });
        },
        () => setState({ isFailed: true }),
      );
    };
    useEffect(() => {
      if (!loaded) start();
    }, []);
    if (loaded) {
      const Component = loaded;
      return <Component {...props} />;
    }
    if (!state.isFailed) return waiting;
    const failure = { kind: 'offline', status: 0, code: '', title: '', detail: '', errors: [] } as const;
    return <Failed failure={{ ...failure, errors: [] }} retry={() => location.reload()} />;
  };
}
