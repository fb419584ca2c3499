/* SPDX-License-Identifier: Apache-2.0 */
typedef int memoir_placeholder_to_be_replaced;
