// Call sites in an order, and with colours, that stay when the recording grows.
import type { Timeline } from '../../api_types';

type Site = Timeline['sites'][number];

export class Order {
  private known: (string | null)[] = [];
  private about = '';

  /** The same sites, those that were there before in their old order; anew when it is `about` something else. */
  of(data: Timeline, about: string): Timeline {
    if (about !== this.about) this.known = [];
    this.about = about;
    const names = data.sites.map((site) => site.function);
    const still = this.known.filter((name) => name !== null && names.includes(name));
    this.known = [...still, ...names.filter((name) => name !== null && !still.includes(name)), null];
    const byName = new Map(data.sites.map((site): [string | null, Site] => [site.function, site]));
    return { ...data, sites: this.known.flatMap((name) => byName.get(name) ?? []) };
  }
}
