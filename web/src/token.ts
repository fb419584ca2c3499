// Asks for the server's token.  It is kept for this tab only.
import { setToken } from './client';
import { h, listen } from './dom';

export function tokenForm(wasRefused: boolean, accepted: () => void): HTMLElement {
  const input = h('input', {
    type: 'password',
    name: 'token',
    autocomplete: 'off',
    'aria-label': 'Token',
    required: true,
    class: 'token',
  });
  const form = h(
    'form',
    { class: 'card state token-form' },
    h('h2', {}, 'This server needs its token'),
    h(
      'p',
      {},
      'Open the link that memoir serve printed, or enter its token: that of the link, or the content of the file given to --token-file. It is kept for this tab only.',
    ),
    wasRefused ? h('p', { class: 'refused', role: 'alert' }, 'That was not the token. Try again.') : null,
    h('div', { class: 'row' }, input, h('button', { class: 'primary' }, 'Open')),
  );
  setTimeout(() => input.focus());
  return listen(form, {
    submit: (event) => {
      event.preventDefault();
      const token = input.value.trim();
      if (!token) return;
      setToken(token);
      accepted();
    },
  });
}
