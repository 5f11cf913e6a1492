// @ts-check
import { request as plainRequest } from 'node:http';
import { request } from 'node:https';

/**
 * @typedef {object} Answer
 * @property {number} status
 * @property {any} body
 */

/**
 * @param {string} url
 * @param {string} method
 * @param {string} bearer
 * @param {import('node:https').Agent} agent
 * @param {unknown} [body]
 * @param {string} [contentType]
 * @returns {Promise<Answer>}
 */
export function call(url, method, bearer, agent, body, contentType = 'application/json') {
  const headers = { authorization: `Bearer ${bearer}`, 'content-type': contentType };
  return exchange(request(url, { method, agent, headers }), body);
}

/** @param {string} url @param {string} method @param {unknown} [body] */
export const plain = (url, method, body) => exchange(plainRequest(url, { method }), body);

/**
 * @param {import('node:http').ClientRequest} outgoing
 * @param {unknown} body
 * @returns {Promise<Answer>}
 */
function exchange(outgoing, body) {
  return new Promise((resolve, reject) => {
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      let text = '';
      incoming.setEncoding('utf8');
      incoming.on('data', (/** @type {string} */ chunk) => (text += chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        resolve({ status: incoming.statusCode ?? 0, body: parse(text) });
      });
    });
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** @param {string} text */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
