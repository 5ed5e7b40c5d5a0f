INSERT INTO orders (order_no, customer, due, warehouse, wave) VALUES
  ('4711', 'Huber Bakery', '2030-01-31', 'Main', NULL),
  ('4712', 'Huber Bakery', '2030-01-31', 'Main', NULL),
  ('4713', 'Huber Bakery', '2030-01-31', 'Main', NULL),
  ('4714', 'Huber Bakery', '2030-01-31', 'Main', 'B-77'),
  ('4715', 'Huber Bakery', '2030-01-31', 'Main', 'B-77'),
  ('4716', 'Huber Bakery', '2030-01-31', 'Main', NULL),
  ('4717', 'Huber Bakery', '2030-01-31', 'Main', NULL),
  ('4718', 'Huber Bakery', '2030-01-31', 'Annex', NULL),
  ('4719', 'Huber Bakery', '2030-01-31', 'Main', NULL);
-- Nobody can pick half a piece: 4719 will be kept back.
INSERT INTO order_lines (order_no, line_no, item_no, qty) VALUES
  ('4711', 10, '100100', 5), ('4711', 20, '100200', 4),
  ('4712', 10, '100300', 2),
  ('4713', 10, '100100', 3),
  ('4714', 10, '100300', 1),
  ('4715', 10, '100300', 2), ('4715', 20, '100400', 2),
  ('4716', 10, '100200', 2),
  ('4717', 10, '100400', 3),
  ('4718', 10, '100100', 1),
  ('4719', 10, '100100', 1.5);
INSERT INTO items (item_no, title, grams, picture) VALUES
  ('100100', 'Claw hammer', 680, decode(
    'iVBORw0KGgoAAAANSUhEUgAAADAAAAAwCAYAAABXAvmHAAABxklEQVR42u2aPU7DQBCFc5DcwCdwzQHo6blAWk5AsxJHoELyCWgiuUuHkBAdHQWCjo7O0YtiyUm84/15s961GGkbK7Hm8868mVl71dbVquQ1dnHd1pVp66rJbJmjbyIAftRlvowNoATnLyCGYdMVttZDANrT311fHVaqXegBGtaNf99eO9jHw702QEMHeL/bdEP7+/46XCsGAA6PGXbl5fYmbwCEzJR9Pj0y84MHAKd8jJQfPAA8WV9DuEWGFQcATsQY8iMwrDgAvWzGWkB+xAO4JK5vWHnkRzyATTYZIA75EQ+AIqUFAfvZPkthxVMhdiidm6WacwsZnlSInLqYZRcalWYOsctSpomipwMQU9zGkjlpM8dWqAkl0gNgJDXCMHk7PdXYQRZd88OhKusASLHfO4UdkkIM95hloJEau3M1sckuwBx7Ij6ALTwkNYGzw/8l7YWkedhDTU7qx2wjpTQPZz/UuyRutgCSbDqqybwA0HZb4iqf0MUD+MhmlgAhspkNgNTvKJzC8QFssomcSHS8Hg4wk2zyAGzDvLJs6p4LJUpcnUKGuE8gm2lHyn8ATwBTIIBZ1GvW4l90L+JTg0V87FHc2gP8DwuySFvX2gAAAABJRU5ErkJggg==', 'base64')),
  ('100200', 'Spirit level', 540, NULL),
  ('100300', 'Folding rule', 110, NULL),
  ('100400', 'Work gloves', 90, NULL);
